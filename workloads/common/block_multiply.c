/* SPDX-License-Identifier: BSD-3-Clause */
#include "block_multiply.h"

struct block_grid block_grid(int processes, int blocks, int length)
{
    struct block_grid grid = {.blocks = blocks, .length = length, .processes = processes};
    for (int rows = 1; rows * rows <= processes; rows++) {
        if (processes % rows == 0) {
            grid.rows = rows;
        }
    }
    grid.columns = processes / grid.rows;
    return grid;
}

size_t block_elements(const struct block_grid *grid)
{
    return (size_t)grid->length * (size_t)grid->length;
}

int block_owner(const struct block_grid *grid, int row, int column)
{
    return row % grid->rows * grid->columns + column % grid->columns;
}

/* @return how many of the numbers below `count` are `first`, `first` + `step`, ... */
static int dealt(int count, int first, int step)
{
    return first < count ? (count - first - 1) / step + 1 : 0;
}

/* @return blocks in a row and in a column of what a process owns of a matrix */
static int own_columns(const struct block_grid *grid, int process)
{
    return dealt(grid->blocks, process % grid->columns, grid->columns);
}

static int own_rows(const struct block_grid *grid, int process)
{
    return dealt(grid->blocks, process / grid->columns, grid->rows);
}

size_t block_place(const struct block_grid *grid, int row, int column)
{
    const int width = own_columns(grid, block_owner(grid, row, column));
    const int place = row / grid->rows * width + column / grid->columns;
    return (size_t)place * block_elements(grid);
}

size_t block_memory(const struct block_grid *grid)
{
    return (size_t)(own_rows(grid, 0) * own_columns(grid, 0)) * block_elements(grid);
}

int block_tasks(const struct block_grid *grid, int process)
{
    return own_rows(grid, process) * own_columns(grid, process) * grid->blocks;
}

struct block_task block_task(const struct block_grid *grid, int process, int number)
{
    const int block = number / grid->blocks, width = own_columns(grid, process);
    struct block_task task = {
        .row = process / grid->columns + block / width * grid->rows,
        .column = process % grid->columns + block % width * grid->columns,
    };
    task.inner = (task.row + task.column + number) % grid->blocks;
    return task;
}

/* An element of a matrix: a whole number from -3 to 3. */
static double element(enum factor factor, int row, int column)
{
    const int mixed = factor == LEFT ? 3 * row + 5 * column : 2 * row + 7 * column + row * column;
    return (double)(mixed % 7 - 3);
}

void block_fill(const struct block_grid *grid, enum factor factor, int process, double *memory)
{
    for (int row = process / grid->columns; row < grid->blocks; row += grid->rows) {
        for (int column = process % grid->columns; column < grid->blocks; column += grid->columns) {
            double *block = memory + block_place(grid, row, column);
            for (int i = 0; i < grid->length; i++) {
                for (int j = 0; j < grid->length; j++) {
                    *block++ = element(factor, row * grid->length + i, column * grid->length + j);
                }
            }
        }
    }
}

void block_multiply(int length, const double *left, const double *right, double *product)
{
    for (int i = 0; i < length; i++) {
        double *row = product + (size_t)i * (size_t)length;
        for (int k = 0; k < length; k++) {
            const double factor = left[(size_t)i * (size_t)length + (size_t)k];
            const double *other = right + (size_t)k * (size_t)length;
            for (int j = 0; j < length; j++) {
                row[j] += factor * other[j];
            }
        }
    }
}

/* @return an element of the product */
static double product_element(const struct block_grid *grid, int row, int column)
{
    double sum = 0;
    for (int k = 0; k < grid->blocks * grid->length; k++) {
        sum += element(LEFT, row, k) * element(RIGHT, k, column);
    }
    return sum;
}

bool block_is_right(const struct block_grid *grid, int process, const double *product)
{
    for (int row = process / grid->columns; row < grid->blocks; row += grid->rows) {
        for (int column = process % grid->columns; column < grid->blocks; column += grid->columns) {
            const double *block = product + block_place(grid, row, column);
            for (int i = 0; i < grid->length; i++) {
                for (int j = 0; j < grid->length; j++) {
                    if (*block++ !=
                        product_element(grid, row * grid->length + i, column * grid->length + j)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

double block_sum(const struct block_grid *grid, int process, const double *product)
{
    const size_t own = (size_t)(own_rows(grid, process) * own_columns(grid, process));
    double sum = 0;
    for (size_t i = 0; i < own * block_elements(grid); i++) {
        sum += product[i];
    }
    return sum;
}
