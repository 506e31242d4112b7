/** The words of a name in snake case: `dateOfBirth` and `date-of-birth` become `date_of_birth`. */
export const inWords = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Says if a field of this name usually holds a secret, such as `clientSecret` or `otp_code`. */
export const isSecretName = (name: string): boolean =>
  /(?:^|_)(?:password|passwd|passphrase|secret|token|api_?key|private_key|authorization|cookie|signature|passcode|(?:pin|otp|cvv|cvc|security|verification|access|auth|authorization|one_time|recovery|reset|login)_code|pin|otp|cvv|cvc)$/.test(
    inWords(name),
  );

/**
 * Replaces each secret by `[secret]`, also when it's URL-encoded, escaped in JSON, or in base64. In base64 it may be
 * inside a longer text, such as the `user:password` of basic authentication.
 */
export const maskSecrets = (text: string, secrets: readonly string[]): string => secretMask(secrets)(text);

/** {@link maskSecrets} for the same secrets again and again. */
export const secretMask = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  // Longest first: otherwise a form inside another leaves the rest of it.
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  const long = longestFirst.filter((form) => form.length > longestInPattern);
  const short = longestFirst.slice(long.length).map((form) => form.replace(/[^\w]/g, escapeCharacter));
  const anyShort = short.length > 0 ? new RegExp(short.join('|'), 'g') : undefined;
  return (text) => {
    let masked = text;
    for (const form of long) masked = masked.replaceAll(form, '[secret]');
    return anyShort ? masked.replace(anyShort, '[secret]') : masked;
  };
};

/** A pattern has a largest size; a form that long is looked for as it is. */
const longestInPattern = 2_000;

/** Writes a character as a code unit, so that nothing in a secret means anything in a pattern. */
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Copies an API's answer, as text or parsed JSON, without secrets. Masks the ones you name, the value of a field such
 * as `password`, texts that look like a secret, and stack traces. Personal data stays. Nesting deeper than 50 levels is
 * cut.
 */
export const maskSecretsInBody = (body: unknown, secrets: readonly string[]): unknown => {
  const known = secretMask(secrets);
  const maskText = (text: string) => maskStackTraces(maskSecretLooks(known(text)));

  const mask = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return maskText(value);
    if (typeof value === 'number') return known(String(value)) === String(value) ? value : '[secret]';
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return '[cut]';
    if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        maskText(name),
        isSecretName(name) && isFilled(inner) ? '[secret]' : mask(inner, depth + 1),
      ]),
    );
  };
  return mask(body, 0);
};

const deepest = 50;

/** Flags and absent values are useful and contain no secret. */
const isFilled = (value: unknown): boolean => value !== null && value !== '' && typeof value !== 'boolean';

const formsOf = (secret: string): string[] => {
  const encoded = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  return [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(secret),
  ];
};

/** Shorter ones would also be found in texts that have nothing to do with them. */
const shortestForBase64 = 6;

/** Encodes the secret at each place within a group of three bytes. Its first and last bits may be shared. */
const base64Forms = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  if (bytes.length < shortestForBase64) return [];
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const inside = [Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6)] as const;
    return [shifted.toString('base64').slice(...inside), shifted.toString('base64url').slice(...inside)];
  });
};

/**
 * Masks texts that look like secrets: `Bearer` and `Basic` credentials, signed tokens (RFC 7519), keys with a vendor's
 * prefix. Passwords in URLs and connection strings, `password is …`, and US social security numbers count too. Ordinary
 * sentences such as "the token is expired" stay as they are.
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

/** Words after those names in sentences that hold no secret: "the token is expired", "password: required". */
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
