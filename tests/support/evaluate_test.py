"""evaluate.py against values worked out by hand."""
import math
import os
import tempfile
import unittest

import evaluate

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 x 1\n3 0 z 0\n"
RUN = "1 Q0 c 1 9.5 t\n1 Q0 a 2 8.0 t\n1 Q0 d 3 8.0 t\n1 Q0 b 4 1.0 t\n9 Q0 q 1 1.0 t\n"


class Evaluate(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("qrels", QRELS), ("run", RUN)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.qrels = evaluate.read_qrels(os.path.join(folder, "qrels"))
            self.run_ = evaluate.read_run(os.path.join(folder, "run"))

    def value(self, measure):
        return evaluate.by_topic(self.run_, self.qrels, measure)["1"]

    def test_orders_by_score_and_then_rank(self):
        self.assertEqual(self.run_["1"], ["c", "a", "d", "b"])

    def test_average_precision(self):
        self.assertAlmostEqual(self.value("map"), (1 / 2 + 2 / 4) / 2)
        self.assertAlmostEqual(self.value("map@2"), 1 / 2 / 2)

    def test_ndcg(self):
        ideal = 2 / math.log2(2) + 1 / math.log2(3)
        self.assertAlmostEqual(self.value("ndcg@10"), (2 / math.log2(3) + 1 / math.log2(5)) / ideal)
        self.assertAlmostEqual(self.value("ndcg@1"), 0)

    def test_recall_and_precision(self):
        self.assertAlmostEqual(self.value("recall@2"), 0.5)
        self.assertAlmostEqual(self.value("p@2"), 0.5)
        self.assertAlmostEqual(self.value("p@10"), 0.2)

    def test_a_topic_without_answers_counts_as_zero_and_one_without_relevant_documents_not_at_all(self):
        self.assertAlmostEqual(evaluate.mean(self.run_, self.qrels, "recall@100"), (1 + 0) / 2)


if __name__ == "__main__":
    unittest.main()
