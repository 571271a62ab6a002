"""Your own hyperedges: train HNN, print hyperedge-dependent embeddings and the scores of new hyperedges."""

from hnn_core.features import derive
from hnn_core.hypergraph import Hypergraph
from hnn_core.models import HNN, Training
from hnn_core.nn.members import MemberSets
from hnn_core.seeds import seed_everything
from hnn_core.tasks.hyperedge_prediction import train_predictor
from hnn_core.tasks.scoring import score_sets

hyperedges = [[0, 1, 2], [1, 2, 3], [0, 1, 2, 3], [4, 5, 6], [5, 6, 7], [4, 5, 6, 7], [3, 4]]  # lists of node numbers
hypergraph = Hypergraph.from_hyperedges(hyperedges)
features = derive(hypergraph, "svd", dim=4).nodes  # or your own matrix, dense or sparse

seed_everything(0)
model = HNN(num_features=4, widths=(16, 16))
trained = train_predictor(model, hypergraph, features, training=Training(epochs=100), seed=0)

dependent = model.dependent_of(trained.embeddings, hypergraph, node=3).detach().numpy()
for hyperedge, z in zip(hypergraph.hyperedges_of(3), dependent, strict=True):
    print(f"node 3 in hyperedge {hyperedges[hyperedge]}: {z[:4].round(3)} …")
wanted = [[0, 1, 3], [0, 5, 7]]
new = MemberSets.from_lists(wanted, hypergraph.num_nodes)
for members, probability in zip(wanted, score_sets(model, trained.score, trained.embeddings, new), strict=True):
    print(f"new hyperedge {members}: probability {probability:.2f}")
