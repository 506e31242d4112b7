/** What the command line ends with, for scripts; the page of the command line lists them. */
export const exitCodes = {
  ok: 0,
  /** It ran, and the answer is no: a problem was found, a signature is not valid, a delivery was refused. */
  problems: 1,
  usage: 2,
  /** There is no configuration, or one that cannot be used. */
  configuration: 3,
  /** A defect of this package. */
  defect: 70,
  /** Ctrl-C, as shells count it; of a command that runs until Ctrl-C it is the usual end, and 0. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
