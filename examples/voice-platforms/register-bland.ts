// register-bland.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { toolsOf } from './agent.ts';

for (const { name, description, parameters, slowMessage } of toolsOf({ callId: 'register' }).tools()) {
  const tool = {
    name,
    description,
    speech: slowMessage,
    url: `https://agent.example.com?tool=${name}`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${fromEnv('TOOLS_SECRET')()}`,
      'x-call-id': '{{call_id}}',
      'x-caller': '{{phone_number}}',
    },
    input_schema: parameters,
    body: Object.fromEntries(Object.keys(parameters.properties).map((field) => [field, `{{input.${field}}}`])),
    timeout: 15_000, // more than the tools' own deadline
  };
  const response = await fetch('https://api.bland.ai/v1/tools', {
    method: 'POST',
    headers: { authorization: fromEnv('BLAND_API_KEY')(), 'content-type': 'application/json' },
    body: JSON.stringify(tool),
  });
  console.log(name, response.status, await response.json());
}
