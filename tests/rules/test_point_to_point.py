#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cases of point-to-point communication, derived by hand from the rules."""

import unittest

from test_reference import ReferenceTest, calls


class PointToPointTest(ReferenceTest):
    def test_late_sender_is_booked_on_the_receiver(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Send", 5, 7, "send 1 0 8")),
                      calls(1, ("MPI_Recv", 2, 8, "recv 0 0 8")))
        self.assert_value(3, "mpi_latesender", "MPI_Recv", 1)
        self.assert_value(3, "mpi_point2point", "MPI_Recv", 1)
        self.assert_value(0, "mpi_latereceiver")
        self.assert_value(8, "bytes_sent", "MPI_Send", 0)
        self.assert_value(1, "comms_recv", "MPI_Recv", 1)
        self.assert_value(2, "comms")

    def test_window_is_open_at_enter_and_closed_at_leave(self):
        for enter, expected in ((2, 0), (2.001, 0.001), (6, 4), (6.001, 0)):
            self.evaluate(["ranks 2"],
                          calls(0, ("MPI_Bsend", enter, 7, "send 1 0 0")),
                          calls(1, ("MPI_Recv", 2, 6, "recv 0 0 0")))
            self.assert_value(expected, "mpi_latesender", "*", 1)

    def test_late_receiver_takes_the_posting_call(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Ssend", 1, 7, "send 1 0 8")),
                      calls(1, ("MPI_Irecv", 3, 4, "irecv_request 5"),
                            ("MPI_Wait", 4.5, 8, "irecv 0 0 8 5")))
        self.assert_value(2, "mpi_latereceiver", "MPI_Ssend", 0)
        self.assert_value(0, "mpi_latesender")

    def test_what_follows_a_late_receiver_is_wait_for_progress_if_it_is_no_shorter(self):
        # The receiver is in MPI until 4, and again from 5 or 6 on; both are more than u behind 4.
        for enter, late, progress in ((4.9, 2, 0), (5, 0, 4), (6, 0, 5)):
            self.evaluate(["ranks 2"],
                          calls(0, ("MPI_Ssend", 1, enter + 0.5, "send 1 0 8")),
                          calls(1, ("MPI_Irecv", 3, 4, "irecv_request 5"),
                                ("MPI_Wait", enter, 8, "irecv 0 0 8 5")))
            self.assert_value(late, "mpi_latereceiver", "MPI_Ssend", 0)
            self.assert_value(progress, "mpi_p2p_wait_for_progress", "MPI_Ssend", 0)

    def test_buffered_sends_have_no_late_receiver(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Bsend", 1, 7, "send 1 0 8"),
                            ("MPI_Ibsend", 7, 7, "isend 1 0 8 1"),
                            ("MPI_Wait", 8, 12, "isend_complete 1")),
                      calls(1, ("MPI_Recv", 3, 8, "recv 0 0 8"), ("MPI_Recv", 9, 12, "recv 0 0 8")))
        self.assert_value(0, "mpi_latereceiver")

    def test_waitall_takes_the_latest_event_inside(self):
        self.evaluate(["ranks 3"],
                      calls(0, ("MPI_Irecv", 0, 0, "irecv_request 1"),
                            ("MPI_Irecv", 0, 0, "irecv_request 2"),
                            ("MPI_Isend", 0, 0, "isend 1 9 8 3"),
                            ("MPI_Waitall", 1, 10, "irecv 1 0 8 1", "irecv 2 0 8 2",
                             "isend_complete 3")),
                      calls(1, ("MPI_Send", 4, 5, "send 0 0 8"), ("MPI_Recv", 7, 8, "recv 0 9 8"),
                            ("MPI_Recv", 9, 10, "recv 2 0 8")),
                      calls(2, ("MPI_Send", 8, 10, "send 1 0 8"),
                            ("MPI_Send", 11, 12, "send 0 0 8")))
        self.assert_value(6, "mpi_latereceiver", "MPI_Waitall", 0)
        self.assert_value(0, "mpi_latesender", "MPI_Waitall", 0)

    def waitall_and_sends(self, size, *sends):
        """Late Receiver of a Waitall 1..9 that sends `size` bytes, received at 7, and receives a
        message sent at 4; `sends`: (region, leave, size) of sends that enter at 20; their receives
        are posted at 22."""
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Irecv", 0, 0, "irecv_request 1"),
                            ("MPI_Isend", 0, 0, "isend 1 9 %d 3" % size),
                            ("MPI_Waitall", 1, 9, "irecv 1 0 8 1", "isend_complete 3")),
                      calls(1, ("MPI_Send", 4, 5, "send 0 0 8"), ("MPI_Recv", 7, 8, "recv 0 9 8")),
                      *[part for index, (region, leave, size) in enumerate(sends) for part in (
                          calls(0, (region, 20 + 10 * index, leave + 10 * index,
                                    "send 1 0 %d" % size)),
                          calls(1, ("MPI_Recv", 22 + 10 * index, 29 + 10 * index,
                                    "recv 0 0 %d" % size)))])
        late_sender = self.value("mpi_latesender", "MPI_Waitall", 0)
        late_receiver = self.value("mpi_latereceiver", "MPI_Waitall", 0)
        self.assertEqual((3, 0) if late_receiver == 0 else (0, 6), (late_sender, late_receiver))
        return late_receiver > 0

    def test_sends_beside_receives_wait_from_the_size_on_that_made_sends_wait(self):
        waits, eager = ("MPI_Send", 23), ("MPI_Send", 21)
        self.assertFalse(self.waitall_and_sends(64))
        self.assertTrue(self.waitall_and_sends(64, waits + (64,)))
        self.assertTrue(self.waitall_and_sends(65, waits + (64,), eager + (63,)))
        self.assertFalse(self.waitall_and_sends(63, waits + (64,)))
        self.assertTrue(self.waitall_and_sends(64, waits + (64,), eager + (64,)))
        self.assertFalse(self.waitall_and_sends(64, waits + (65,), eager + (65,)))
        self.assertTrue(self.waitall_and_sends(64, waits + (8,), eager + (9,), eager + (9,)))
        self.assertFalse(self.waitall_and_sends(64, waits + (64,), eager + (64,), eager + (64,)))
        self.assertFalse(self.waitall_and_sends(64, ("MPI_Ssend", 23, 64)))
        self.assertTrue(self.waitall_and_sends(64, ("MPI_Rsend", 22, 64)))

    def test_calls_that_a_send_without_waiting_could_have_been_are_no_samples(self):
        # The samples: one contains its posting 1 after its Enter; one of the same or another size
        # leaves after `eager`, before its posting: what took no longer says nothing.
        for eager, size, expected in ((0.999, 8, 10), (1, 8, 0), (1, 9, 0), (1, 7, 10)):
            self.evaluate(["ranks 2"],
                          calls(0, ("MPI_Isend", 0, 0, "isend 1 9 8 3"),
                                ("MPI_Waitall", 0, 20, "irecv 1 0 8 1", "isend_complete 3"),
                                ("MPI_Send", 21, 23, "send 1 1 8"),
                                ("MPI_Send", 24, 24 + eager, "send 1 2 %d" % size)),
                          calls(1, ("MPI_Recv", 10, 20, "recv 0 9 8"),
                                ("MPI_Recv", 22, 23, "recv 0 1 8"),
                                ("MPI_Recv", 26, 27, "recv 0 2 %d" % size)))
            self.assert_value(expected, "mpi_latereceiver", "MPI_Waitall", 0)

    def test_each_locality_has_a_size_of_its_own(self):
        for nodes, expected in (([], 10), (["node other 1"], 0), (["node other 1 2"], 10)):
            self.evaluate(["ranks 3"] + nodes,
                          calls(0, ("MPI_Isend", 0, 0, "isend 1 9 8 3"),
                                ("MPI_Waitall", 0, 20, "irecv 1 0 8 1", "isend_complete 3"),
                                ("MPI_Send", 21, 23, "send 2 1 8")),
                          calls(1, ("MPI_Recv", 10, 20, "recv 0 9 8")),
                          calls(2, ("MPI_Recv", 22, 23, "recv 0 1 8")))
            self.assert_value(expected, "mpi_latereceiver", "MPI_Waitall", 0)

    def test_synchronous_sends_beside_receives_wait_at_any_size(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Issend", 0, 0, "isend 1 9 0 3"),
                            ("MPI_Waitall", 0, 20, "irecv 1 0 8 1", "isend_complete 3")),
                      calls(1, ("MPI_Recv", 10, 20, "recv 0 9 0")))
        self.assert_value(10, "mpi_latereceiver", "MPI_Waitall", 0)

    def test_waits_of_sends_alone_tell_the_size_too(self):
        for records, expected in (((), 6), (("nb_coll_complete barrier self - 0 0 9",), 0),
                                  (("isend_complete 4",), 0), (("irecv 1 0 8 9",), 0)):
            self.evaluate(["ranks 2"],
                          calls(0, ("MPI_Irecv", 0, 0, "irecv_request 1"),
                                ("MPI_Isend", 0, 0, "isend 1 9 8 3"),
                                ("MPI_Waitall", 1, 9, "irecv 1 0 8 1", "isend_complete 3"),
                                ("MPI_Ibarrier", 9, 9, "nb_coll_request 9"),
                                ("MPI_Isend", 10, 10, "isend 1 1 8 2"),
                                ("MPI_Wait", 11, 13, "isend_complete 2") + records),
                          calls(1, ("MPI_Send", 4, 5, "send 0 0 8"),
                                ("MPI_Recv", 7, 8, "recv 0 9 8"),
                                ("MPI_Recv", 12, 13, "recv 0 1 8")))
            self.assert_value(expected, "mpi_latereceiver", "MPI_Waitall", 0)

    def test_a_send_that_is_never_completed_matches(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Isend", 3, 3, "isend 1 0 8 1"),
                            ("MPI_Bsend", 5, 5, "send 1 0 8")),
                      calls(1, ("MPI_Recv", 2, 4, "recv 0 0 8"),
                            ("MPI_Recv", 4, 6, "recv 0 0 8")))
        self.assert_value(2, "mpi_latesender", "MPI_Recv", 1)

    def test_sendrecv_tie_goes_to_late_sender(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Sendrecv", 1, 6, "send 1 0 8", "recv 1 0 8")),
                      calls(1, ("MPI_Sendrecv", 4, 6, "send 0 0 8", "recv 0 0 8")))
        self.assert_value(3, "mpi_latesender", "*", 0)
        self.assert_value(0, "mpi_latereceiver")

    def test_wrong_order(self):
        for first_source, metric in ((1, "mpi_lswo_same"), (2, "mpi_lswo_different")):
            self.evaluate(["ranks 3"],
                          calls(0, ("MPI_Recv", 2, 6, "recv 1 0 8"),
                                ("MPI_Recv", 6, 7, "recv %d 5 8" % first_source)),
                          calls(first_source, ("MPI_Send", 1, 2, "send 0 5 8")),
                          calls(1, ("MPI_Send", 4, 5, "send 0 0 8")))
            self.assert_value(2, metric, "MPI_Recv", 0)
            self.assert_value(0, "mpi_latesender")

    def test_wrong_order_needs_a_strictly_earlier_send_received_by_a_later_call(self):
        for send, tag_order in ((4, ("recv 1 0 8", "recv 2 5 8")),   # entered at the same time
                                (1, ("recv 1 0 8", None)),           # never received
                                (1, (None, "recv 2 5 8"))):          # received before
            first, second = tag_order
            receives = [("MPI_Recv", 2, 6, "recv 1 0 8")]
            if first is None:
                receives.insert(0, ("MPI_Recv", 1, 2, second))
            elif second is not None:
                receives.append(("MPI_Recv", 6, 7, second))
            self.evaluate(["ranks 3"], calls(0, *receives),
                          calls(1, ("MPI_Send", 4, 5, "send 0 0 8")),
                          calls(2, ("MPI_Send", send, 5, "send 0 5 8")))
            self.assert_value(2, "mpi_latesender", "MPI_Recv", 0)

    def test_late_receiver_in_wrong_order(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Bsend", 0, 0, "send 1 1 8"),
                            ("MPI_Ssend", 1, 5, "send 1 0 8")),
                      calls(1, ("MPI_Recv", 4, 5, "recv 0 0 8"), ("MPI_Recv", 5, 6, "recv 0 1 8")))
        self.assert_value(3, "mpi_latereceiver_wo", "MPI_Ssend", 0)

    def test_receives_match_in_posted_order(self):
        # The first message belongs to the receive posted first, which completes last: it is sent
        # but not received when the other returns.
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Bsend", 3, 3, "send 1 0 8"),
                            ("MPI_Bsend", 6, 6, "send 1 0 8")),
                      calls(1, ("MPI_Irecv", 0, 0, "irecv_request 1"),
                            ("MPI_Recv", 1, 8, "recv 0 0 8"),
                            ("MPI_Wait", 8, 9, "irecv 0 0 8 1")))
        self.assert_value(5, "mpi_lswo_same", "MPI_Recv", 1)
        self.assert_value(0, "mpi_latesender")

    def test_cancelled_requests_and_never_completed_receives_match_nothing(self):
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Isend", 1, 1, "isend 1 0 8 1"),
                            ("MPI_Wait", 2, 2, "request_cancelled 1"),
                            ("MPI_Bsend", 5, 5, "send 1 0 8")),
                      calls(1, ("MPI_Irecv", 0, 0, "irecv_request 1"),
                            ("MPI_Cancel", 0, 0, "request_cancelled 1"),
                            ("MPI_Irecv", 0, 0, "irecv_request 2"),
                            ("MPI_Recv", 2, 6, "recv 0 0 8")))
        self.assert_value(3, "mpi_latesender", "MPI_Recv", 1)

    def test_threads_of_a_process_share_their_messages(self):
        self.evaluate(["ranks 2 threads 2"],
                      calls("0.1", ("MPI_Send", 3, 4, "send 1 0 8")),
                      calls("0.0", ("MPI_Send", 5, 6, "send 1 0 8")),
                      calls("1.0", ("MPI_Recv", 2, 8, "recv 0 0 8")),
                      calls("1.1", ("MPI_Recv", 1, 8, "recv 0 0 8")))
        self.assert_value(2, "mpi_latesender", "*", "1.1")
        self.assert_value(3, "mpi_latesender", "*", "1.0")

    def test_circle_at_one_tick_is_broken(self):
        # Both ranks end a send at 4 and post the other's receive at 4.
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Send", 1, 4, "send 1 0 8"), ("MPI_Recv", 4, 5, "recv 1 0 8")),
                      calls(1, ("MPI_Send", 2, 4, "send 0 0 8"), ("MPI_Recv", 4, 5, "recv 0 0 8")))
        self.assert_value(3, "mpi_latereceiver", "*", 0)
        self.assert_value(0, "mpi_latereceiver", "*", 1)

    def test_circle_drops_the_rule_listed_last(self):
        # Rank 0's send ends at 4 where rank 1 posts; rank 1's barrier ends at 4 where rank 0
        # enters it: of the two, the barrier's candidate goes.
        self.evaluate(["ranks 2"],
                      calls(0, ("MPI_Send", 1, 4, "send 1 0 8"),
                            ("MPI_Barrier", 4, 5, "coll_end barrier world - 0 0")),
                      calls(1, ("MPI_Barrier", 2, 4, "coll_end barrier world - 0 0"),
                            ("MPI_Recv", 4, 5, "recv 0 0 8")))
        self.assert_value(3, "mpi_latereceiver", "*", 0)
        self.assert_value(0, "mpi_barrier_wait")
        self.assert_value(2, "mpi_sync_collective", "MPI_Barrier", 1)


if __name__ == "__main__":
    unittest.main()
