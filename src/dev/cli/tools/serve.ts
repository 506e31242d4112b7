import { isE164 } from '../../../core/arguments.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { configOption, loadConfiguration } from '../configuration.ts';
import { exitCodes } from '../exit-codes.ts';

export const toolsServe: Command = {
  name: 'tools serve',
  summary: 'Serve the tools to an MCP host, such as an assistant at the desk of your team, until Ctrl-C.',
  options: {
    phone: { value: 'NUMBER', help: 'The customer’s number in E.164, such as +14155550100' },
    email: { value: 'ADDRESS', help: 'The customer’s e-mail address, if there is no number' },
    'call-id': {
      value: 'ID',
      help: 'The phone call that this belongs to, so that nothing is paid twice (default: a new id for each session)',
    },
    http: { help: 'Serve streamable HTTP on 127.0.0.1 instead of standard input and output' },
    port: { value: 'PORT', help: 'Where --http listens (default: a free port)' },
    ...configOption,
  },
  details: [
    'The host starts this command and talks to it on standard input and output. With --http it connects to the address that is printed, and sends the token that is printed with it.',
    'Where a tool has confirm: two-step, the host asks its user, if it can. Needs the package @modelcontextprotocol/server.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations tools serve --phone +14155550100',
      says: 'The command to put into the host’s settings',
    },
    {
      command: 'npx voice-agent-integrations tools serve --phone +14155550100 --http --port 4020',
      says: 'For hosts that connect to an address',
    },
  ],
  runsUntilInterrupted: true,
  run: async (given, terminal) => {
    const phone = given.text('phone');
    if (phone !== undefined && !isE164(phone))
      throw wrongUsage('--phone must be a number in E.164', 'a plus, the country code and the number: +14155550100');
    const port = given.wholeNumber('port');
    if (port !== undefined && !given.flag('http')) throw wrongUsage('--port needs --http');
    if (port !== undefined && port > 65_535) throw wrongUsage('--port must be at most 65535');
    const configuration = await loadConfiguration(given, terminal);
    const { openToolServer } = await import('./tool-server.ts');
    await using server = await openToolServer(await configuration.options(), {
      callId: given.text('call-id'),
      phone,
      email: given.text('email'),
    });
    if (!given.flag('http')) {
      await Promise.race([server.serveStdio(terminal.output), terminal.interrupted()]);
      return exitCodes.ok;
    }
    const { url, token } = await server.listen(port ?? 0);
    if (given.flag('json')) terminal.print(JSON.stringify({ url, token }));
    else terminal.print(`${url}\nAuthorization: Bearer ${token}`);
    terminal.note('Ctrl-C ends it.');
    await terminal.interrupted();
    return exitCodes.ok;
  },
};
