/**
 * The facts about a platform that have a date. No client reads them: `npm run docs:platforms` writes them into the pages,
 * and the commands `create` and `doctor` show them.
 */
export interface Platform {
  readonly title: string;
  /** The page about it, in docs. */
  readonly page: string;
  /** The version that its preset pins: the preset's own constant. */
  readonly version: string;
  /** The code that pins another one. */
  readonly changeVersion?: string;
  /** The day on which a person compared all of it with the platform's pages. */
  readonly checkedOn: Day;
  /** The sources, the newest page first. */
  readonly sources: readonly Source[];
  /** The steps to a credential in an account that is made on that day, as Markdown. */
  readonly steps: readonly string[];
  /** The notes below the steps. */
  readonly notes?: readonly string[];
  /** The variables of a starter and of the command line. */
  readonly variables: readonly Variable[];
  readonly ends: readonly End[];
}

/** Such as 2026-11-26. */
export type Day = `${number}-${number}-${number}`;

/** Such as 2027-09, where the platform names no day: the first one counts. */
export type Month = `${number}-${number}`;

export interface Source {
  readonly title: string;
  readonly url: string;
}

export interface Variable {
  readonly name: string;
  readonly holds: string;
  /** Its value is in the starter's code, and only the command line reads it. */
  readonly isOfTheCommandLine?: true;
}

/** Something that the platform will not serve, or has not served since a day. */
export interface End {
  readonly what: string;
  readonly on: Day | Month;
  readonly instead: string;
  readonly source: Source;
  /** Finds its use in our code and pages. Without it, none of them can use it. */
  readonly inText?: RegExp;
  /** Finds its use in a request, which is written as its authorization scheme and address: `Bearer https://…`. */
  readonly inRequest?: RegExp;
}
