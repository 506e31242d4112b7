/** Masks the lines of a stack trace, in the forms of common languages, as `[stack]`: they reveal the server's code. */
export const maskStackTraces = (text: string): string =>
  mayHoldStack.test(text) ? text.replace(stackLines, ' [stack]') : text;

const mayHoldStack = /\.\w{2,5}\\?["']?[(:,]/;

/** A line of a stack trace ends with a file of code and a number: `at run (/srv/app.js:10:5)`, `File "app.py", line 3`. */
const codePlace = [
  '(?<![^\\s"\'()])[^\\s"\'()]{0,300}?',
  '\\.(?:[cm]?[jt]sx?|java|kt|rb|py|php|cs|go|rs|scala|ex|swift)',
  '\\\\?["\']?(?:[:(]|:line |, line )\\d+(?::\\d+)?\\)?(?::?,? in [^\\s"\\\\]{1,80})?',
].join('');
const stackLine = `(?:\\\\[nrt]|\\s){0,100}(?:(?:\\b(?:at|File|from)\\b|#\\d+)[^\\n\\\\"']{0,120}?\\\\?["']?)?\\(?${codePlace}`;

const stackLines = new RegExp(`(?:${stackLine})+`, 'g');
