"""The robot as a document for web pages: geometry, laws as WebAssembly, MathML, the built page."""
