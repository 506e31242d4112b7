/** The version of Intercom's API that the preset speaks. Source: github.com/intercom/Intercom-OpenAPI (2026-08-21). */
export const pinnedVersion = '2.16';
