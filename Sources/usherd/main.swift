print("usherd")
