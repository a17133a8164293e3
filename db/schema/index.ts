export * from './people'
export * from './platform'
export * from './quotas'
export * from './workflows'
