#include "engine/mail.h"

#include "base/memory.h"
#include "engine/engine_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

struct letter {
    struct letter *next;
    size_t size;
    uint32_t process;
    _Alignas(16) unsigned char content[];
};

struct letter_list {
    struct letter *first, *last;
};

/* What others have sent to a worker. */
struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct letter_list letters;
    struct letter_list own; /* to itself: needs no lock */
};

struct fm_mail {
    struct fm_engine *engine;
    fm_mail_start_t *start;
    fm_mail_handler_t *handler;
    void *context;
    struct mailbox *boxes;   /* by worker */
    atomic_size_t under_way; /* messages not yet handled, and workers not yet started */
    atomic_bool over;
};

static void append(struct letter_list *list, struct letter *letter)
{
    letter->next = NULL;
    if (list->last == NULL) {
        list->first = letter;
    } else {
        list->last->next = letter;
    }
    list->last = letter;
}

static struct letter *take_first(struct letter_list *list)
{
    struct letter *letter = list->first;
    if (letter != NULL) {
        list->first = letter->next;
        list->last = list->first == NULL ? NULL : list->last;
    }
    return letter;
}

void fm_mail_send(struct fm_mail *mail, unsigned worker, uint32_t process, const void *message,
                  size_t size)
{
    struct letter *letter = fm_resize(NULL, 0, sizeof *letter + size);
    letter->size = size;
    letter->process = process;
    memcpy(letter->content, message, size);
    atomic_fetch_add(&mail->under_way, 1);
    unsigned receiver = mail->engine->owner_of[process];
    struct mailbox *box = &mail->boxes[receiver];
    if (receiver == worker) {
        append(&box->own, letter);
        return;
    }
    pthread_mutex_lock(&box->lock);
    append(&box->letters, letter);
    pthread_cond_signal(&box->arrived);
    pthread_mutex_unlock(&box->lock);
}

static void finish_one(struct fm_mail *mail)
{
    if (atomic_fetch_sub(&mail->under_way, 1) != 1) {
        return;
    }
    atomic_store(&mail->over, true);
    for (unsigned w = 0; w < mail->engine->workers; ++w) {
        pthread_mutex_lock(&mail->boxes[w].lock);
        pthread_cond_signal(&mail->boxes[w].arrived);
        pthread_mutex_unlock(&mail->boxes[w].lock);
    }
}

/* @return the next letter to a worker; NULL: the phase is over */
static struct letter *next_letter(struct fm_mail *mail, unsigned worker)
{
    struct mailbox *box = &mail->boxes[worker];
    struct letter *letter = take_first(&box->own);
    if (letter != NULL) {
        return letter;
    }
    pthread_mutex_lock(&box->lock);
    while (box->letters.first == NULL && !atomic_load(&mail->over)) {
        pthread_cond_wait(&box->arrived, &box->lock);
    }
    box->own = box->letters;
    box->letters = (struct letter_list){NULL, NULL};
    pthread_mutex_unlock(&box->lock);
    return take_first(&box->own);
}

static void work(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_mail *mail = context;
    mail->start(mail->context, mail, worker, first, last);
    finish_one(mail);
    struct letter *letter;
    while ((letter = next_letter(mail, worker)) != NULL) {
        mail->handler(mail->context, mail, worker, letter->process, letter->content, letter->size);
        fm_free(letter);
        finish_one(mail);
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
        .boxes = fm_allocate(engine->workers, sizeof(struct mailbox)),
        .under_way = engine->workers,
    };
    for (unsigned w = 0; w < engine->workers; ++w) {
        pthread_mutex_init(&mail.boxes[w].lock, NULL);
        pthread_cond_init(&mail.boxes[w].arrived, NULL);
    }
    fm_engine_run(engine, work, &mail);
    for (unsigned w = 0; w < engine->workers; ++w) {
        pthread_cond_destroy(&mail.boxes[w].arrived);
        pthread_mutex_destroy(&mail.boxes[w].lock);
    }
    fm_free(mail.boxes);
}
