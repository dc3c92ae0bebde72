"""The compiled kernels of dragoman, in the directory `compiled`; `dragoman.kernels.shipped` reads them."""
