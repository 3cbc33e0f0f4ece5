"""The robot as a document for web pages: geometry, laws as WebAssembly, formulas as MathML, the built page."""
