/** The first paragraph of a page as text, at about the length that search engines show. */
export const firstParagraph = (markdown: string): string => {
  const blocks = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/\n{2,}/);
  const paragraph = blocks.map((block) => block.trim()).find((block) => /^[\p{L}`[*]/u.test(block)) ?? '';
  const text = paragraph
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    // In braces, typedoc takes it for a tag of its own.
    .replaceAll(/[`*{}]/g, '')
    .replaceAll(/\s+/g, ' ');
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\s,;:]+\S*$/, '')} …`;
};

const longest = 160;
