"""The APIs of other translation services, for programs that already speak them."""
