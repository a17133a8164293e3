/** Cases whose kinds or happenings the engine does not know yet. A name leaves this list when its case passes, and none comes in. */
export const NOT_YET = new Set([
  // values.json
  'a secret input goes only where the tool declares its input secret',
  'a secret input for a tool input that is not declared secret is refused at run time',
])
