/**
 * The version of this package, as it stands in `User-Agent`.
 *
 * @example
 * logger.info({ version }, 'integrations are ready');
 */
export const version = '0.2.0';
