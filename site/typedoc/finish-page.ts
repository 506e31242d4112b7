import { type PageEvent, Reflection, ReflectionKind } from 'typedoc';
import { escapeHtml } from '../pages-beside.ts';

/**
 * What typedoc's layout has no option for: a description of the page's own, landmarks, links to a folder that also lead
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
    .replaceAll(/href="((?:\.\.?\/)+)"/g, 'href="$1index.html"');
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
