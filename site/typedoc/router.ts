import { type PageDefinition, type ProjectReflection, type Reflection, Slugger, StructureRouter } from 'typedoc';

/**
 * The address of each page: a hand-written one is where the repository has it (`docs/calls.md` is `calls.html`), an
 * export is below what it is imported from (`reference/voice-agent-integrations/auth/bearer.html`).
 */
export class SiteRouter extends StructureRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    if (reflection.isDocument()) return String(reflection.frontmatter['place']);
    return `reference/${super.getIdealBaseName(reflection)}`;
  }

  override buildPages(project: ProjectReflection): PageDefinition[] {
    const pages = super.buildPages(project);
    for (const target of [project, ...(project.documents ?? [])]) {
      this.sluggers.set(target, new CodeHostSlugger({ lowercase: true }));
    }
    // A list of everything would be what the navigation is; the start page takes its place.
    this.fullUrls.set(project, 'index.html');
    return pages.filter(({ url }) => url !== 'modules.html');
  }
}

/** Makes anchors of headings as code hosts do, so that a link to one works there and here. */
export class CodeHostSlugger extends Slugger {
  readonly #times = new Map<string, number>();

  override slug(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = this.#times.get(slug) ?? 0;
    this.#times.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }

  override hasAnchor(anchor: string): boolean {
    return this.#times.has(anchor);
  }

  override getSimilarAnchors(): string[] {
    return [...this.#times.keys()];
  }
}
