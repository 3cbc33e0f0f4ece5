"""The studio: a local server behind the page that edits a robot and asks for algebra and simulation."""
