"""The editor's back end: documents in segments, who works on them, what the checks find, and what is delivered.

It builds on the engine and knows nothing of the service, which offers it over HTTP. `static/` is the page itself.
"""
