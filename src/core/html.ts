import { decodeEntities } from './html-entities.ts';

/**
 * Text for a field that is read as HTML: it shows the same words, and nothing in it is markup.
 *
 * @example
 * addNote: { path: 'tickets/{id}/notes', body: ({ body }) => ({ html: textToHtml(body) }) },
 */
export const textToHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign).replace(/\r\n|\r|\n/g, '<br>');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Makes a text for a field that may be read as HTML or not. No `<` in it can begin a tag, and all else stays as it is. */
export const withoutTags = (text: string): string => text.replace(/<(?=[a-z/!?])/gi, '< ');

/**
 * The words of a text that may hold HTML, as a reader sees them: lines begin and end where blocks do, links keep their
 * address. Takes time linear in the text.
 */
export const htmlToText = (html: string): string => {
  if (!/<[a-z/!]|&[a-z#]/i.test(html)) return html;
  const pieces: string[] = [];
  let last = '\n';
  let read = 0;
  let link: { readonly address: string; readonly from: number } | undefined;
  const add = (text: string) => {
    if (text === '') return;
    pieces.push(text);
    last = text.slice(-1);
  };
  for (const { 0: whole, index, groups = {} } of html.matchAll(markup)) {
    const { name = '', closing, attributes = '', end } = groups;
    if (end === '') break;
    add(html.slice(read, index));
    read = index + whole.length;
    const tag = name.toLowerCase();
    if (tag === 'br') add('\n');
    else if (blocks.has(tag) && last !== '\n') add('\n');
    else if (cells.has(tag) && !closing && !/\s/.test(last)) add(' ');
    else if (tag === 'a' && !closing) {
      const [, quoted, single, bare] = href.exec(attributes) ?? [];
      link = { address: quoted ?? single ?? bare ?? '', from: pieces.length };
    } else if (tag === 'a' && link) {
      if (!pieces.slice(link.from).join('').includes(link.address)) add(` (${link.address})`);
      link = undefined;
    }
  }
  add(html.slice(read));
  return decodeEntities(pieces.join(''))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

/**
 * Comments and what isn't shown go to the end, if nothing ends them; so does a tag, which is text then. Each alternative
 * matches wherever it begins, so that no part is read twice.
 */
const markup =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|title)\b[^>]*(?:>[\s\S]*?(?:<\/\1\s*>|$)|$)|<(?<closing>[/!]?)(?<name>[a-z][^\s/>]*)(?<attributes>[^>]*)(?<end>>|$)/gi;

const href = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

const blocks: ReadonlySet<string> = new Set(
  'p div li ul ol h1 h2 h3 h4 h5 h6 tr table blockquote pre hr section article header footer dl dt dd figure figcaption'.split(
    ' ',
  ),
);

const cells: ReadonlySet<string> = new Set(['td', 'th']);
