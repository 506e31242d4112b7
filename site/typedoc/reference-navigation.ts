import { type DeclarationReflection, type DefaultThemeRenderContext, Reflection, ReflectionKind } from 'typedoc';
import { escapeHtml } from '../page-navigation.ts';

/** The navigation over all that can be imported, as one page shows it: with the exports of the subpath of the page. */
export const referenceNavigation = ({ page, urlTo }: DefaultThemeRenderContext): string => {
  const { model, project } = page;
  const isCurrent = (item: DeclarationReflection) => item === model;

  const linkTo = (item: DeclarationReflection, name: string) => {
    const current = isCurrent(item) ? ' class="current" aria-current="page"' : '';
    return `<a href="${escapeHtml(urlTo(item) || '#')}"${current}>${escapeHtml(name)}</a>`;
  };
  const listOf = (items: readonly DeclarationReflection[], nameOf: (item: DeclarationReflection) => string): string =>
    `<ul>${items.map((item) => `<li>${linkTo(item, nameOf(item))}${isOrHolds(item, model) ? exportsOf(item) : ''}</li>`).join('')}</ul>`;
  const exportsOf = ({ kind, children = [] }: DeclarationReflection): string =>
    kind === ReflectionKind.Module
      ? listOf(
          children.filter((child) => !child.isReference()),
          ({ name }) => name,
        )
      : '';

  const subpaths = listOf(project.getChildrenByKind(ReflectionKind.Module), ({ name }) =>
    name.replace(`${project.name}/`, ''),
  );
  return `<nav class="tsd-navigation side" aria-label="Reference"><p>Reference</p>${subpaths}</nav>`;
};

const isOrHolds = (item: Reflection, model: unknown): boolean =>
  item === model || (model instanceof Reflection && model.parent !== undefined && isOrHolds(item, model.parent));
