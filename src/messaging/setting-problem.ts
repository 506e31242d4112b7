/** An option of an application whose value must be one of the platform's. */
export type PlatformSetting = 'adminId' | 'teams' | 'ticketTypeId' | 'officeHoursId';

/** Says what is wrong with such an option before any request; `undefined` if nothing is. */
export type SettingProblem = (setting: PlatformSetting, value: string) => string | undefined;

/** The property under which a client keeps what its platform can never fulfil. */
export const settingProblem: unique symbol = Symbol.for('voice-agent-integrations.setting-problem');

/** Returns what is wrong with an option on this client's platform. A client of your own says nothing. */
export const problemOfSetting = (client: object, setting: PlatformSetting, value: string): string | undefined => {
  const { [settingProblem]: problemOf }: { readonly [settingProblem]?: SettingProblem } = client;
  return problemOf?.(setting, value);
};

/** Returns why a platform refuses an operation: by its name, or by a name that it begins with. */
export const refusalOf = (refuses: Readonly<Record<string, string>>, operation: string): string | undefined =>
  Object.entries(refuses).find(([name]) => `${operation}.`.startsWith(`${name}.`))?.[1];

/** Joins what the platform refuses with what its ids look like. */
export const settingProblemOf =
  ({
    refuses,
    settingProblem: own,
  }: {
    readonly refuses: Readonly<Record<string, string>>;
    readonly settingProblem: SettingProblem | undefined;
  }): SettingProblem =>
  (setting, value) => {
    const operation = operations[setting];
    const refusal = operation && refusalOf(refuses, operation);
    return refusal === undefined ? own?.(setting, value) : `can't work: ${refusal}`;
  };

/** The operation that each option is for. */
const operations: Readonly<Record<PlatformSetting, string | undefined>> = {
  adminId: undefined,
  teams: 'messaging.conversations.assignToTeam',
  ticketTypeId: 'messaging.tickets.create',
  officeHoursId: 'messaging.officeHours.isOpen',
};
