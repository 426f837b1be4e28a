#include "engine/mail_internal.h"

#include "base/memory.h"
#include "engine/patience.h"

#include <string.h>

/* After so many letters a worker lets others of the team go on. */
#define LETTERS_AT_ONCE 64

static void append(struct fm_letter_list *list, struct fm_letter *letter)
{
    letter->next = NULL;
    if (list->last == NULL) {
        list->first = letter;
    } else {
        list->last->next = letter;
    }
    list->last = letter;
}

static struct fm_letter *take_first(struct fm_letter_list *list)
{
    struct fm_letter *letter = list->first;
    if (letter != NULL) {
        list->first = letter->next;
        list->last = list->first == NULL ? NULL : list->last;
    }
    return letter;
}

static struct fm_letter *write_letter(struct fm_mail *mail, uint32_t process, const void *message,
                                      size_t size)
{
    struct fm_letter *letter = fm_resize(NULL, 0, sizeof *letter + size);
    letter->size = size;
    letter->process = process;
    memcpy(letter->content, message, size);
    atomic_fetch_add(&mail->under_way, 1);
    return letter;
}

void fm_mail_put(struct fm_mail *mail, unsigned worker, uint32_t process, const void *message,
                 size_t size)
{
    struct fm_letter *letter = write_letter(mail, process, message, size);
    struct fm_mailbox *box = &mail->boxes[worker];
    pthread_mutex_lock(&box->lock);
    append(&box->letters, letter);
    pthread_cond_signal(&box->arrived);
    pthread_mutex_unlock(&box->lock);
}

void fm_mail_send(struct fm_mail *mail, unsigned worker, uint32_t process, const void *message,
                  size_t size)
{
    unsigned receiver = mail->engine->owner_of[process];
    if (receiver == worker) {
        append(&mail->boxes[worker].own, write_letter(mail, process, message, size));
    } else if (receiver < mail->engine->workers) {
        fm_mail_put(mail, receiver, process, message, size);
    } else {
        fm_mail_team_send(mail->team, worker, process, message, size);
    }
}

void fm_mail_end(struct fm_mail *mail)
{
    atomic_store(&mail->over, true);
    for (unsigned w = 0; w < mail->engine->workers; ++w) {
        pthread_mutex_lock(&mail->boxes[w].lock);
        pthread_cond_signal(&mail->boxes[w].arrived);
        pthread_mutex_unlock(&mail->boxes[w].lock);
    }
}

static void finish_one(struct fm_mail *mail)
{
    if (atomic_fetch_sub(&mail->under_way, 1) == 1 && mail->team == NULL) {
        fm_mail_end(mail);
    }
}

/* Waits for a letter from this process, but not for long: others may have sent one. */
static void wait_a_moment(struct fm_mailbox *box, unsigned idle)
{
    long nanoseconds = fm_patience(idle);
    if (nanoseconds == 0) {
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&box->arrived, &box->lock, &until);
}

/* Moves what has come to the worker's own letters; waits if there is nothing. */
static void look_into_box(struct fm_mail *mail, unsigned worker, unsigned idle)
{
    struct fm_mailbox *box = &mail->boxes[worker];
    pthread_mutex_lock(&box->lock);
    if (mail->team == NULL) {
        while (box->letters.first == NULL && !atomic_load(&mail->over)) {
            pthread_cond_wait(&box->arrived, &box->lock);
        }
    } else if (box->letters.first == NULL && !atomic_load(&mail->over)) {
        wait_a_moment(box, idle);
    }
    box->own = box->letters;
    box->letters = (struct fm_letter_list){NULL, NULL};
    pthread_mutex_unlock(&box->lock);
}

/* @return the next letter to a worker; NULL: the phase is over */
static struct fm_letter *next_letter(struct fm_mail *mail, unsigned worker)
{
    struct fm_mailbox *box = &mail->boxes[worker];
    struct fm_letter *letter = take_first(&box->own);
    for (unsigned idle = 0; letter == NULL; ++idle) {
        look_into_box(mail, worker, idle);
        letter = take_first(&box->own);
        if (letter != NULL || atomic_load(&mail->over)) {
            break;
        }
        if (idle > 0 && fm_patience(idle) == 0) {
            sched_yield();
        }
        fm_mail_team_work(mail->team, worker, idle + 1);
    }
    return letter;
}

static void work(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_mail *mail = context;
    mail->start(mail->context, mail, worker, first, last);
    finish_one(mail);
    struct fm_letter *letter;
    for (unsigned handled = 1; (letter = next_letter(mail, worker)) != NULL; ++handled) {
        mail->handler(mail->context, mail, worker, letter->process, letter->content, letter->size);
        fm_free(letter);
        finish_one(mail);
        if (mail->team != NULL && handled % LETTERS_AT_ONCE == 0) {
            fm_mail_team_work(mail->team, worker, 0);
        }
    }
}

void fm_mail_run(struct fm_engine *engine, fm_mail_start_t *start, fm_mail_handler_t *handler,
                 void *context)
{
    struct fm_mail mail = {
        .engine = engine,
        .start = start,
        .handler = handler,
        .context = context,
        .boxes = fm_allocate(engine->workers, sizeof(struct fm_mailbox)),
        .under_way = engine->workers,
    };
    for (unsigned w = 0; w < engine->workers; ++w) {
        pthread_mutex_init(&mail.boxes[w].lock, NULL);
        pthread_cond_init(&mail.boxes[w].arrived, NULL);
    }
    mail.team = fm_mail_team_create(&mail);
    fm_engine_run(engine, work, &mail);
    fm_mail_team_free(mail.team);
    for (unsigned w = 0; w < engine->workers; ++w) {
        pthread_cond_destroy(&mail.boxes[w].arrived);
        pthread_mutex_destroy(&mail.boxes[w].lock);
    }
    fm_free(mail.boxes);
}
