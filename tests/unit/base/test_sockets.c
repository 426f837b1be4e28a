/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections that send small messages at once. */
#include "check.h"

#include "base/process/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* Both ends of a connection by TCP. */
static void connect_ends(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends[0], (struct sockaddr *)&address, size), 0);
    ends[1] = accept(listener, NULL, NULL);
    assert_true(ends[1] >= 0);
    close(listener);
}

static bool sends_at_once(int socket)
{
    int value = 0;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
    return value != 0;
}

static void test_connections(void **state)
{
    (void)state;
    int first[2], second[2];
    connect_ends(first);
    connect_ends(second);
    assert_false(sends_at_once(first[0]));
    fm_sockets_send_at_once();
    for (int i = 0; i < 2; ++i) {
        assert_true(sends_at_once(first[i]));
        assert_true(sends_at_once(second[i]));
        close(first[i]);
        close(second[i]);
    }
}

/* What is no connection by TCP works as before. */
static void test_other_files(void **state)
{
    (void)state;
    int pipe_ends[2], local[2];
    char letter = 0;
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, local), 0);
    fm_sockets_send_at_once();
    assert_int_equal(write(pipe_ends[1], "p", 1), 1);
    assert_int_equal(read(pipe_ends[0], &letter, 1), 1);
    assert_int_equal(letter, 'p');
    assert_int_equal(write(local[0], "l", 1), 1);
    assert_int_equal(read(local[1], &letter, 1), 1);
    assert_int_equal(letter, 'l');
    for (int i = 0; i < 2; ++i) {
        close(pipe_ends[i]);
        close(local[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
