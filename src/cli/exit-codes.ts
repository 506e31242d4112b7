/** What the command line ends with, for scripts. */
export const exitCodes = {
  ok: 0,
  problems: 1,
  usage: 2,
  configuration: 3,
  defect: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each means, for the help and its page. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done, and all is well; of a command that runs until Ctrl-C, its usual end',
  problems: 'done, and the answer is no: a problem was found, a signature is not valid, a delivery was refused',
  usage: 'typed wrongly; nothing was done',
  configuration: 'there is no configuration, or one that cannot be used',
  defect: 'a defect of this package',
  interrupted: 'ended by Ctrl-C before it was done',
};
