/**
 * Masks secrets that can be recognised by how they look: `Bearer` and `Basic` credentials, signed tokens (RFC 7519), keys
 * with a vendor's prefix, passwords in URLs and connection strings, `password is …`, and US social security numbers.
 * Ordinary sentences such as "the token is expired" stay as they are.
 */
export const maskSecretLooks = (text: string): string =>
  mayHoldSecret.test(text) ? looks.reduce((masked, [look, mask]) => masked.replace(look, mask), text) : text;

/** One cheap look at a text, since nearly all of them hold nothing. */
const mayHoldSecret =
  /(?:bearer|basic) |eyJ|\b(?:sk|rk|whsec|shpat|glpat|xox[abprs]|gh[opsur]|github_pat|npm)[_-]|\b(?:AKIA|ASIA|AIza|SG\.)|-----BEGIN|[a-z]=|:\/\/|pass(?:word|wd|phrase|code)|\bpwd\b|secret|token|key|credential|cookie|authorization|\b(?:pin|otp|cvv|cvc|ssn)\b|social security|\d{3}-\d{2}-\d{4}/i;

const names =
  '(?:pass(?:word|wd|phrase|code)|secret|token|(?:api|access|account|private|secret|shared ?access|signing|master)[_ -]?key|credentials?|cookie|authorization|(?<![A-Za-z])(?:pwd|pin|otp|cvv|cvc))';

/** `password=`, `password: `, `"password" => `, and the quotes around the name. */
const assigned = '(?:\\\\*["\'])?(?:\\s{0,3}(?:=>|[:=])\\s{0,3}';
const said = '\\s{1,3}(?:is|are|was|were)\\s{1,3}';

/** What follows those names in sentences that hold no secret: "the token is expired", "password: required". */
const usualWords = `(?:${[
  'a|all|already|also|an|and|any|as|at|authentication|authorization|basic|bearer|being|between|blank|both|but|by',
  'can|cannot|compromised|currently|deleted|denied|different|disabled|does|empty|enabled|ended|expected|expired|expiring',
  'failed|false|for|from|given|granted|has|hidden|here|in|inactive|incorrect|insufficient|invalid|is|it|just|known',
  'least|less|locked|long|longer|malformed|mandatory|maximum|minimum|mismatch|missing|more|must|needed|never|no|none|not',
  'nothing|null|of|ok|old|on|only|optional|or|out|please|present|process\\.env|provided|public|ready|rejected|required',
  'reset|revoked|same|sent|set|short|shorter|should|still|stored|string|strong|sufficient|that|the|then|there|they|this',
  'to|too|true|undefined|unknown|unset|unsupported|used|valid|visible|was|we|weak|what|when|which|will|with|without|wrong',
  'yes|you|your',
].join('|')})`;

const looks: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, '$1 [secret]'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[secret]'],
  [/\b(?:sk|rk|whsec|shpat|glpat|xox[abprs]|gh[opsur]|github_pat|npm)[_-][\w-]{8,}/g, '[secret]'],
  [/\b(?:A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})/g, '[secret]'],
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g, '[secret]'],
  [/(:\/\/)[^\s/@]{1,200}@/g, '$1[secret]@'],
  // A password with a slash or an at-sign in it. After a host the colon is followed by a port.
  [/(:\/\/)[^\s/@:]{0,100}:(?!\d{1,5}(?:[/?#\s]|$))[^\s"'<>]{1,200}@/g, '$1[secret]@'],
  [/([?&](?:access_token|token|secret|api[_-]?key|key|password|signature|sig)=)[^&#\s]+/gi, '$1[secret]'],
  [new RegExp(`(${names}${assigned}|\\s{1,3})(\\\\*["']))(?!\\[).{1,500}?(?=\\2|$)`, 'gis'), '$1[secret]'],
  [
    new RegExp(`(${names}${assigned}|${said}))(?!${usualWords}\\b)[\\w$!#%+*./~^@-][^\\s"'\\\\&,;<>()\\]}]{2,}`, 'gi'),
    '$1[secret]',
  ],
  [/(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g, '[ssn]'],
  [/\b((?:ssn|social security(?: number)?)\W{0,3}(?:is\W{1,2})?)\d{3}[ .-]?\d{2}[ .-]?\d{4}(?!\d)/gi, '$1[ssn]'],
];

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
