package probe

const sysMemfdCreate = 319
