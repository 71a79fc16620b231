// Node.js computes this list once. Under Jest, each read would compute it anew, and the HTTP client reads it for every request.
const { allowedNodeEnvironmentFlags } = process;
Object.defineProperty(process, "allowedNodeEnvironmentFlags", { value: allowedNodeEnvironmentFlags });
