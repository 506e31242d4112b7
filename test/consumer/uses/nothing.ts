/** What is there without the package: the language, and Node. */
export const nothing: object = {};
