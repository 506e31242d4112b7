/**
 * Node's HTTP, without what an `import` of it brings along: naming `node:http` in one makes Node load its `fetch` and
 * `WebSocket` too, which takes ten times as long. As in an import of the whole module, `http.request` is looked up when
 * it is called, so that whoever puts another in its place is heard.
 */
export const http = /* @__PURE__ */ process.getBuiltinModule('node:http');

/** As `http`, over TLS. */
export const https = /* @__PURE__ */ process.getBuiltinModule('node:https');
