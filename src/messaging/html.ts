/**
 * Text for a field that is read as HTML: it shows the same words, and nothing in it is markup.
 *
 * @example
 * addNote: { path: 'tickets/{id}/notes', body: ({ body }) => ({ html: textToHtml(body) }) },
 */
export const textToHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign).replace(/\r\n|\r|\n/g, '<br>');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for a field that may be read as HTML or not: no `<` in it can begin a tag, and all else stays as it is. */
export const withoutTags = (text: string): string => text.replace(/<(?=[a-z/!?])/gi, '< ');

/** The words of a text that may hold HTML: lines end where blocks and breaks do, links keep their address. */
export const htmlToText = (html: string): string => {
  if (!/<[a-z/!]|&[a-z#]/i.test(html)) return html;
  const text = html
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<a\b[^<>]*\bhref="([^"<>]*)"[^<>]*>([\s\S]*?)<\/a\s*>/gi, (_link, address: string, label: string) =>
      label.includes(address) ? label : `${label} (${address})`,
    )
    .replace(/<br\s*\/?>|<\/(?:p|div|li|h[1-6]|tr|blockquote|pre)\s*>/gi, '\n')
    .replace(/<\/?[a-z][^>]*>/gi, '');
  return text
    .replace(/&(#x?[\da-f]+|[a-z]+);/gi, decodeEntity)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

const decodeEntity = (entity: string, name: string): string => {
  if (!name.startsWith('#')) return named.get(name.toLowerCase()) ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
};

const named: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
);
