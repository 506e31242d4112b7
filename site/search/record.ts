/** One thing that a search can find, as the index has it. */
export interface SearchRecord {
  /** The name of the page, the heading, or the short name of the export or field. */
  readonly title: string;
  /** The place: the page of a heading, the import of an export, the type of a field. */
  readonly place?: string;
  /** From the root of the site. */
  readonly url: string;
  readonly kind: 'page' | 'section' | 'export' | 'member';
  /** Below 1 for what few readers look for. @defaultValue 1 */
  readonly weight?: number;
  /** The description of a page in llms.txt. */
  readonly about?: string;
  readonly text?: string;
  readonly code?: string;
}
