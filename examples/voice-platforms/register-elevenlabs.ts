// register-elevenlabs.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { webhook } from 'voice-agent-integrations/tools/elevenlabs';
import { toolsOf } from './agent.ts';

const secretId = fromEnv('ELEVENLABS_SECRET_ID')();
for (const tool_config of webhook.tools(toolsOf({ callId: 'register' }), {
  url: 'https://agent.example.com',
  secretId,
})) {
  const response = await fetch('https://api.elevenlabs.io/v1/convai/tools', {
    method: 'POST',
    headers: { 'xi-api-key': fromEnv('ELEVENLABS_API_KEY')(), 'content-type': 'application/json' },
    body: JSON.stringify({ tool_config }),
  });
  console.log(tool_config.name, response.status, await response.json());
}
