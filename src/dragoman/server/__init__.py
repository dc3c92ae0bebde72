"""The server: tools connect over HTTP and WebSocket, and their corrections teach. `app.create_app` puts it together."""
