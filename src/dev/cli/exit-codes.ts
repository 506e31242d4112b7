/** The exit codes, for scripts. */
export const exitCodes = {
  ok: 0,
  problems: 1,
  usage: 2,
  configuration: 3,
  defect: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each code, for the help and its page. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'success, or stopped with Ctrl-C',
  problems: 'done, with a problem: an invalid signature, a refused delivery, a finding',
  usage: 'wrong usage; nothing was done',
  configuration: 'no configuration, or one that does not work',
  defect: 'a defect of this package',
  interrupted: 'ended by Ctrl-C before it was done',
};
