interface Literal {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

/** Texts of more than one word: messages and descriptions, whose wording tests leave open. */
const isText = ({ type, value, quasis = [] }: Literal): boolean => {
  if (type === 'StringLiteral') return typeof value === 'string' && severalWords.test(value);
  return type === 'TemplateLiteral' && severalWords.test(quasis.map(({ value }) => value.raw).join(''));
};

const severalWords = /\w[,:;]? \w/;

/** A plugin of Stryker that leaves out what {@link isText} finds, with the expressions inside it. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'texts',
    value: { shouldIgnore: ({ node }: { readonly node: Literal }) => (isText(node) ? 'a text for people' : undefined) },
  },
];
