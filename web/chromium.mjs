// SPDX-License-Identifier: BSD-3-Clause
// The browser of tests, pictures and measurements.
import { existsSync } from "node:fs";

/** The shell comes first: without the windows of a browser it needs a quarter less of the processors. */
const PLACES = [process.env.FERMATA_CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/** @returns the path of an installed Chromium, undefined if there is none */
export const findChromium = () => PLACES.find((path) => path !== undefined && existsSync(path));
