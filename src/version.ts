/** The version of this package, as it stands in `User-Agent`. */
export const version = '0.2.0';
