/** The version of Stripe's API that the preset speaks, as the package `stripe` 23.1.0 does (2026-10-29). */
export const pinnedVersion = '2026-10-28.endive';
