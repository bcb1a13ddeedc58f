print("usherctl")
