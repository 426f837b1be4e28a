#include "cli/recording/child_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

bool fm_child_output(void (*become)(const char *program), const char *program, char *text,
                     size_t size)
{
    int ends[2], status = -1;
    size_t length = 0;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        become(program);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t count;
         length + 1 < size && (count = read(ends[0], text + length, size - 1 - length)) != 0;) {
        if (count < 0 && errno != EINTR) {
            break;
        }
        length += count > 0 ? (size_t)count : 0;
    }
    close(ends[0]);
    text[length] = '\0';
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}
