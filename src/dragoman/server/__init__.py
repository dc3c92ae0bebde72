"""The server: tools connect over HTTP and WebSocket, and their corrections are learned. Start at `app.create_app`."""
