# SPDX-License-Identifier: BSD-3-Clause
"""A bounded queue whose items three threads take; prints what they computed."""
import queue
import threading

items = queue.Queue(2)
sums = []
lock = threading.Lock()


def worker():
    while (item := items.get()) is not None:
        found = sum(i * i for i in range(20000)) + item
        with lock:
            sums.append(found)


threads = [threading.Thread(target=worker) for _ in range(3)]
for thread in threads:
    thread.start()
for number in range(60):
    items.put(number)
for _ in threads:
    items.put(None)
for thread in threads:
    thread.join()
print(len(sums), sum(sums))
