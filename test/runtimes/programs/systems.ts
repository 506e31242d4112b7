/** Where the fake systems listen, in a process of their own. */
export interface Systems {
  readonly messaging: string;
  readonly crm: string;
  readonly billing: string;
}

/** A delivery that was signed elsewhere. */
export interface Delivery {
  readonly body: string;
  readonly signature: string;
}

/** What each program is given. */
export interface Surroundings {
  readonly systems: Systems;
  readonly delivery: Delivery;
}
