"""Learning the weights while translating: one small protocol, one file per method ([M], [B], [I], [P]).

>>> import numpy as np
>>> weights = np.array([1.0, 1.0])
>>> features = np.array([[-1.0, -2.0], [-2.0, -1.5], [-3.0, -3.0]])  # an n-best list, the system's own choice first
>>> losses = np.array([0.5, 0.0, 0.8])  # how far each entry is from the correction
>>> adapted = PassiveAggressive(alpha=1.0).update(weights, features, losses)
>>> Ridge().rerank(weights, features), Ridge().rerank(adapted, features)
(0, 1)
"""

from dragoman.adapt.bayes import Bayes
from dragoman.adapt.passive_aggressive import PassiveAggressive
from dragoman.adapt.perceptron import Perceptron
from dragoman.adapt.policy import Policy
from dragoman.adapt.protocol import Adapter, Rule
from dragoman.adapt.ridge import Ridge

__all__ = ["Adapter", "Bayes", "PassiveAggressive", "Perceptron", "Policy", "Ridge", "Rule"]
