/* Settings of jemalloc, which looks for this name when it starts. The tables of an analysis are
 * written once and read several times, and the first use of each page of 4 KiB costs about as much
 * as reading 100 events: pages of 2 MiB make an analysis up to twice as fast. */
extern const char *malloc_conf;

__attribute__((visibility("default"))) const char *malloc_conf = "thp:always,metadata_thp:auto";
