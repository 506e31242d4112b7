import { type PageEvent, Reflection, ReflectionKind } from 'typedoc';
import { escapeHtml } from '../page-navigation.ts';

/**
 * What typedoc's layout has no option for: a description of the page's own, landmarks and headings in order, links to a folder that also lead
 * somewhere without a server, and a search whose index waits for site.js. `about` describes the start page.
 */
export const finishPage = (about: string) => (page: PageEvent) => {
  const { contents, model, project } = page;
  if (contents === undefined || !(model instanceof Reflection)) return;
  page.contents = contents
    .replace(
      `<meta name="description" content="Documentation for ${project.name}"`,
      () => `<meta name="description" content="${escapeHtml(model.isProject() ? about : descriptionOf(model))}"`,
    )
    .replace('<div class="col-content">', '<div class="col-content" role="main" id="content">')
    .replace(/<script async src="([^"]+)" id="tsd-search-script">/, '<script data-src="$1" id="tsd-search-script">')
    .replaceAll(/href="((?:\.\.?\/)+)"/g, 'href="$1index.html"')
    .replace('<div class="page-menu">', '<div class="page-menu" role="navigation" aria-label="On this page">')
    .replaceAll(/<h3>(Settings|On This Page)<\/h3>/g, '<h2>$1</h2>')
    .replaceAll(/<th( [^>]*)?><\/th>/g, '<td$1></td>')
    // A link within what opens a group can't be reached by all screen readers.
    .replaceAll(/(<summary [^>]*>(?:(?!<\/summary>)[^])*?)<a [^>]*class="tsd-anchor-icon">.*?<\/a>/g, '$1');
  page.contents = withoutSkippedLevels(page.contents);
};

/** A heading that is two levels below the one before it says its real level. */
const withoutSkippedLevels = (html: string): string => {
  let last = 0;
  return html.replaceAll(/<h([1-6])(?=[ >])/g, (heading, level: string) => {
    last = Math.min(Number(level), last + 1);
    return last === Number(level) ? heading : `${heading} aria-level="${last}"`;
  });
};

const descriptionOf = (model: Reflection): string => {
  if (model.isDocument()) return String(model.frontmatter['summary']);
  const comment = model.comment ?? (model.isDeclaration() ? model.signatures?.[0]?.comment : undefined);
  // Of a link, only its words.
  const words = (comment?.getShortSummary(true) ?? []).map(({ text }) => text);
  const summary = words.join('').replaceAll(/\s+/g, ' ');
  const name = `${ReflectionKind.singularString(model.kind)} ${model.getFullName()}`;
  return summary === '' ? `${name}.` : `${name}: ${summary}`;
};
