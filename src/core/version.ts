/**
 * The version of this package, as it is in `User-Agent`.
 *
 * @example
 * logger.info({ version }, 'integrations are ready');
 */
export const version = '0.3.0';
