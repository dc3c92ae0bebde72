"""The laboratory of dragoman: the experiments of the papers, and the methods that only they use."""
