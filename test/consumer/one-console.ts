import { createConsole } from 'voice-agent-integrations/console';

/** Serves its page out of the package itself, and ends by itself. */
const local = createConsole();
const { origin } = await local.listen({ print: () => {} });
const headers = { authorization: `Bearer ${local.token}` };

const files = await Promise.all(
  ['', 'app.js', 'style.css'].map(async (file) => {
    const answer = await fetch(`${origin}/${file}`, { headers });
    return [answer.headers.get('content-type'), (await answer.text()).length > 1_000];
  }),
);

console.log(JSON.stringify({ files, without: (await fetch(origin)).status }));
await local.close();
