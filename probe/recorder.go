package probe

const recorderSupported = false

func Recorder() Factory { return Factory{} }
